use std::fmt;

#[derive(Debug)]
pub struct S<'a> { a: &'a str }

impl<'a> fmt::Display for S<'a> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}", self.a) }
}

pub fn f<T: Clone>(x: T) -> T { x.clone() }
macro_rules! m { ($x:expr) => { $x } }
