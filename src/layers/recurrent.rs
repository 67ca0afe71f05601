//! Recurrence: a cell applied at each place of an axis, with one set of parameters.

use pullback_program::architecture::{Cell, Layer, Parameter, Recurrent, States, Time};

use super::parametric::{Parametric, of_layer};
use crate::program::{Applied, Path, Var};
use crate::scalar::Scalar;
use crate::shape::{Dim, SplitOf};
use crate::space::Space;
use crate::tensor::Tensor;

fn layer<H: Dim>(cell: Cell, time: Time, states: States) -> Layer {
    Layer::Recurrent(Recurrent { cell, hidden: H::SIZE, time, states })
}

/// Recurrent layers.
/// Fragments: the struct and its variables, the axis of all gates and its parts, which of the axes the parameters are wide, the cell of the grammar, its states, and what it is.
/// Example: `Gru GruVars [Gates = H, H, H] Gates: Gru (state) "…";` has the gates `Gates`, three times as wide as the state.
macro_rules! recurrent {
    ($($name:ident $vars:ident [$($gates:ident = $($part:ident),+)?] $wide:ident: $cell:ident ($($state:ident),+) $what:literal;)*) => {$(
        #[doc = $what]
        ///
        /// The parameters are those of every step, and their gradient is the sum over all; the initial state is an input.
        /// Batch, steps and features are the axes; the methods that end in `_leading` take the steps first.
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $name<F: Dim, H: Dim, $($gates: Dim,)? T: Scalar = f32> {
            /// From the features of a step.
            pub input_weight: Tensor<(F, $wide), T>,
            /// From the state before it.
            pub state_weight: Tensor<(H, $wide), T>,
            /// What is added.
            pub bias: Tensor<($wide,), T>,
        }

        impl<F: Dim, H: Dim, $($gates: Dim,)? T: Scalar> Parametric for $name<F, H, $($gates,)? T> {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = layer::<H>(Cell::$cell, Time::First, States::Last);
                of_layer::<Self>(&[&[1, 1, F::SIZE]], layer, path, visit);
            }
        }

        impl<F: Dim, H: Dim, $($gates: Dim,)? T: Scalar> $vars<F, H, $($gates,)? T> {
            recurrent! { @method $name F H ($($gates)?) T $cell ($($state),+) $(($($part),+) $gates)?
                last Second Last (N, Steps, F) (N, H) "The state after the last step." }
            recurrent! { @method $name F H ($($gates)?) T $cell ($($state),+) $(($($part),+) $gates)?
                states Second All (N, Steps, F) (N, Steps, H) "The state after each step." }
            recurrent! { @method $name F H ($($gates)?) T $cell ($($state),+) $(($($part),+) $gates)?
                last_leading First Last (Steps, N, F) (N, H) "The state after the last step; the steps are the first axis." }
            recurrent! { @method $name F H ($($gates)?) T $cell ($($state),+) $(($($part),+) $gates)?
                states_leading First All (Steps, N, F) (Steps, N, H) "The state after each step; the steps are the first axis." }
        }
    )*};

    (@method $name:ident $f:ident $h:ident ($($gates:ident)?) $t:ident $cell:ident ($($state:ident),+) $(($($part:ident),+) $sum:ident)?
        $method:ident $time:ident $states:ident $given:tt $gives:tt $what:literal) => {
        #[doc = $what]
        #[track_caller]
        #[must_use]
        pub fn $method<N: Dim, Steps: Dim>(self, x: Var<$given>, $($state: Var<(N, $h)>),+) -> Var<$gives>
        $(where ($($part,)+): SplitOf<$sum>,)?
        {
            Applied::new(layer::<$h>(Cell::$cell, Time::$time, States::$states))
                .data::<Tensor<$given>>(&x)
                .parameters::<$name<$f, $h, $($gates,)? $t>>(&self)
                $(.named::<Tensor<(N, $h)>>(stringify!($state), &$state))+
                .gives::<Tensor<$gives>>()
        }
    };
}

recurrent! {
    Rnn RnnVars [] H: Plain (state) "The plain recurrent network, `tanh(x w + h u + bias)` (Elman 1990).";
    Lstm LstmVars [Gates = H, H, H, H] Gates: Lstm (state, cell) "Long short-term memory (Hochreiter, Schmidhuber 1997): `Gates` is four times as wide as `H`, in the order input, forget, cell, output.";
    Gru GruVars [Gates = H, H, H] Gates: Gru (state) "The gated recurrent unit (Cho et al. 2014): `Gates` is three times as wide as `H`, in the order reset, update, new.";
}
