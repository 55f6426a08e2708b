use std::fmt;

pub const LIMIT: usize = 3;

/// Documented.
#[derive(Debug)]
pub struct Thing<'a> {
    name: &'a str,
}

enum Kind { One, Two(u8) }

impl<'a> Thing<'a> {
    pub fn new(name: &'a str) -> Self {
        let c = 'x';
        Thing { name }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Ok(())
    }
}

pub trait Area {
    fn area(&self) -> f64;
}

mod inner {
    pub fn deep() {}
}

macro_rules! twice {
    ($x:expr) => { $x * 2 };
}
