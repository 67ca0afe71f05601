//! A scope in which every name is taken that generated code might use.

/// Items of the names that the statements of `generated` are made of, and traits that would answer its method calls first.
///
/// No fragments. Example: `mod m { nasty!(); contract! { … } }`.
macro_rules! nasty {
    () => {
        nasty! { @items b0 b1 q0 i0 t0 k1 r1 m1 value whole start lane residual seed CHECK0 PARAM0 size_n W x of
            Num num T None Some Ok Err Vec Clone usize u128 f32 str bool Option Result Default Debug STATEMENT Self_
        }
        #[allow(dead_code, reason = "its name is what matters")]
        mod diagnostic {}
        #[allow(dead_code, reason = "its name is what matters")]
        mod core {}
        #[allow(dead_code, reason = "its name is what matters")]
        mod std {}

        /// By value, so that it is found before any method that takes a reference.
        #[allow(dead_code, clippy::wrong_self_convention, reason = "nobody may call it")]
        trait Shadow: Sized {
            fn at(self, _: ()) {}
            fn as_slice(self) {}
            fn as_mut_slice(self) {}
            fn clone(self) {}
            fn fill(self, _: ()) {}
            fn freeze(self) {}
            fn into_inner(self) {}
            fn inverse_at(self, _: ()) {}
            fn is_identity(self) {}
            fn len(self) {}
            fn reshape(self) {}
            fn to_vec(self) {}
            fn write_str(self, _: ()) {}
        }
        impl<A> Shadow for A {}
    };
    (@items $($name:ident)*) => {$(
        #[allow(dead_code, non_camel_case_types, clippy::upper_case_acronyms, reason = "its name is what matters")]
        struct $name;
    )*};
}
pub(crate) use nasty;
