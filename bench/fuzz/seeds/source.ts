export interface I<T> { a: string; b?: T[] }
type U = 'a' | 'b';
enum E { A = 1 }
export function f<T extends I<T>>(x: T): Promise<void> { return g(x); }
