import x from 'y';
export class A extends B {
  #p = 1;
  async m(a, {b, c}) { return `t ${a}`; }
}
export const f = (x) => x * 2;
module.exports = { A };
