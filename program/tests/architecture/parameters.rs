//! Values of parameters: drawn from a key, flattened, restored, written and read.

use pullback_program::Shape;
use pullback_program::architecture::{
    Architecture, ArchitectureError, Attention, Cell, Dense, Initializer, Initializers, Layer, Mask, Parameter,
    Parameters, ParametersError, Projections, Recurrent, Role, States, Stream, Time,
};

fn net() -> Architecture {
    let dense = |features| Layer::Dense(Dense { features, bias: true });
    Architecture::new(&[4, 3], Layer::Sequential(vec![dense(5), dense(2)]))
}

/// The first numbers under a key, as bits: they are these for ever.
#[test]
fn a_key_gives_the_same_numbers_for_ever() {
    let mut stream = Stream::new(7, "0.weight");
    let uniform: Vec<u64> = (0..3).map(|_| stream.uniform().to_bits()).collect();
    let mut stream = Stream::new(7, "0.weight");
    let normal: Vec<u64> = (0..3).map(|_| stream.normal().to_bits()).collect();
    assert_eq!(uniform, UNIFORM);
    assert_eq!(normal, NORMAL);
    let (a, b) = (Stream::new(7, "0.bias").uniform(), Stream::new(8, "0.weight").uniform());
    assert!(a.to_bits() != uniform[0] && b.to_bits() != uniform[0]);
}

const UNIFORM: [u64; 3] = [0x3fd6_8dee_2cdd_8368, 0x3fdf_9063_294f_8f4e, 0x3fea_3b54_670b_eb02];
const NORMAL: [u64; 3] = [0xc001_a5be_f900_ad92, 0x3fef_c7d1_83bf_36a0, 0xbfca_c974_0a24_3013];

#[test]
fn initialisers_have_their_moments() {
    let layer = Layer::Dense(Dense { features: 200, bias: false });
    let architecture = Architecture::new(&[1, 100], layer);
    let signature = architecture.verify().unwrap();
    assert_eq!(signature.parameters[0].role, Role::Weight { fan_in: 100, fan_out: 200 });
    let moments = |initializer: Initializer| {
        let values = initializer.values(3, &signature.parameters[0]);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let largest = values.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        (mean, variance, largest)
    };
    let expect = |initializer, mean: f64, variance: f64| {
        let (found, spread, _) = moments(initializer);
        // Five standard errors of 20,000 draws.
        let deviation = variance.sqrt();
        assert!((found - mean).abs() < 5.0 * deviation / 141.0, "{initializer:?}: mean {found}");
        assert!((spread / variance - 1.0).abs() < 0.06, "{initializer:?}: variance {spread}");
    };
    expect(Initializer::Uniform { low: -1.0, high: 3.0 }, 1.0, 16.0 / 12.0);
    expect(Initializer::Normal { mean: 2.0, deviation: 0.5 }, 2.0, 0.25);
    expect(Initializer::GlorotUniform, 0.0, 2.0 / 300.0);
    expect(Initializer::GlorotNormal, 0.0, 2.0 / 300.0);
    expect(Initializer::HeUniform, 0.0, 2.0 / 100.0);
    expect(Initializer::HeNormal, 0.0, 2.0 / 100.0);
    assert_eq!(moments(Initializer::Zeros), (0.0, 0.0, 0.0));
    assert_eq!(moments(Initializer::Ones), (1.0, 0.0, 1.0));
    assert!(moments(Initializer::GlorotUniform).2 <= (6.0_f64 / 300.0).sqrt());
}

#[test]
fn values_do_not_depend_on_other_parameters() {
    let alone = Architecture::new(&[4, 3], Layer::Sequential(vec![Layer::Dense(Dense { features: 5, bias: true })]));
    let (a, b) = (
        net().initialize(5, &Initializers::default()).unwrap(),
        alone.initialize(5, &Initializers::default()).unwrap(),
    );
    assert_eq!(a.get("0.weight"), b.get("0.weight"));
}

#[test]
fn flat_lists_come_back() {
    let signature = net().verify().unwrap();
    let parameters = net().initialize(1, &Initializers::default()).unwrap();
    let flat = parameters.flatten();
    assert_eq!(flat.len(), 3 * 5 + 5 + 5 * 2 + 2);
    assert_eq!(Parameters::restore(&signature.parameters, &flat).unwrap(), parameters);
    assert_eq!(
        Parameters::restore(&signature.parameters, &flat[1..]),
        Err(ParametersError::Flat { expected: 32, found: 31 })
    );
    let mut arrays = parameters.clone().into_arrays();
    assert_eq!(Parameters::new(&signature.parameters, arrays.clone()).unwrap(), parameters);
    arrays[2].pop();
    let error = Parameters::new(&signature.parameters, arrays).unwrap_err().to_string();
    assert_eq!(error, "the array for `1.weight` has 9 elements, shape [5, 2] has 10");
    // In the order of the program's inputs.
    let mut inputs = vec![vec![0.5; 12]];
    inputs.extend(parameters.into_arrays());
    assert_eq!(net().compile().unwrap().evaluate(&inputs).unwrap()[0].len(), 8);
}

#[test]
fn an_initialiser_gives_numbers_or_is_refused() {
    let by = |weight| Initializers { weight, ..Initializers::default() };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let uniform = |low, high| Initializer::Uniform { low, high };
    let normal = |mean, deviation| Initializer::Normal { mean, deviation };
    for initializer in [
        uniform(1.0, 0.0),
        uniform(nan, 1.0),
        uniform(0.0, inf),
        uniform(-inf, -inf),
        uniform(f64::MIN, f64::MAX),
        normal(nan, 1.0),
        normal(inf, 1.0),
        normal(0.0, nan),
        normal(0.0, inf),
        normal(0.0, -1.0),
        normal(0.0, f64::MAX / 2.0),
    ] {
        let error = net().initialize(1, &by(initializer)).unwrap_err();
        assert!(matches!(&error, ArchitectureError::Initializer { path, .. } if path == "0.weight"), "{error}");
        // What no parameter is drawn by may be anything.
        let unused = Initializers { table: initializer, ..Initializers::default() };
        assert!(net().initialize(1, &unused).is_ok());
    }
    let error = net().initialize(1, &by(uniform(1.0, 0.0))).unwrap_err().to_string();
    assert_eq!(
        error,
        "the initialiser of `0.weight` is uniform from 1.0 to 0.0; it must be between finite bounds, the lower one first, whose distance is finite"
    );
    for initializer in [uniform(2.0, 2.0), uniform(-1e307, 1e307), normal(-1.0, 0.0), normal(1e300, 1e306)] {
        let values = net().initialize(1, &by(initializer)).unwrap();
        assert!(values.flatten().iter().all(|x| x.is_finite()), "{initializer:?}");
    }
}

/// The fans of a matrix are its sizes: of a cell all gates are outputs.
#[test]
fn fans_of_a_matrix_are_its_sizes() {
    let mut met = 0;
    let recurrent = |cell| Layer::Recurrent(Recurrent { cell, hidden: 4, time: Time::First, states: States::Last });
    let projections = Some(Projections { head: 2, value: 3, output: 5, bias: true });
    for layer in [
        Layer::Dense(Dense { features: 2, bias: true }),
        recurrent(Cell::Plain),
        recurrent(Cell::Lstm),
        recurrent(Cell::Gru),
        Layer::Attention(Attention { heads: 2, mask: Mask::All, projections }),
    ] {
        for parameter in Architecture::new(&[2, 3, 7], layer).verify().unwrap().parameters {
            if let Role::Weight { fan_in, fan_out } = parameter.role {
                assert_eq!(parameter.shape, Shape::new(&[fan_in, fan_out]), "{}", parameter.path);
                met += 1;
            }
        }
    }
    assert_eq!(met, 1 + 2 * 3 + 4);
}

/// Parameters of a caller's own.
fn named(entries: &[(&str, &[usize])]) -> Vec<Parameter> {
    let one = |(path, sizes): &(&str, &[usize])| Parameter {
        path: (*path).to_owned(),
        shape: Shape::new(sizes),
        role: Role::Free,
    };
    entries.iter().map(one).collect()
}

#[test]
fn a_path_that_comes_twice_is_refused() {
    let twice = named(&[("a", &[1]), ("b", &[1]), ("a", &[1])]);
    let expected = ParametersError::Twice { path: "a".to_owned() };
    assert_eq!(Parameters::new(&twice, vec![vec![1.0]; 3]), Err(expected.clone()));
    assert_eq!(Parameters::restore(&twice, &[1.0; 3]), Err(expected.clone()));
    assert_eq!(expected.to_string(), "`a` comes twice among the parameters; each has a path of its own");
    assert!(Parameters::new(&twice[..2], vec![vec![1.0]; 2]).is_ok());
}

#[test]
fn sizes_past_any_list_are_refused() {
    for sizes in [&[usize::MAX][..], &[usize::MAX, 2]] {
        let large = named(&[("a", sizes), ("b", &[usize::MAX])]);
        assert_eq!(Parameters::restore(&large, &[1.0]), Err(ParametersError::Large));
    }
    let one = named(&[("a", &[usize::MAX])]);
    assert_eq!(Parameters::restore(&one, &[1.0]), Err(ParametersError::Flat { expected: usize::MAX, found: 1 }));
}

#[cfg(feature = "safetensors")]
mod files {
    use pullback_program::architecture::{Parameters, SafetensorsError};
    use safetensors::tensor::{Dtype, TensorView, serialize};

    use super::*;

    fn bytes_of(entries: &[(&str, Dtype, &[usize], &[u8])]) -> Vec<u8> {
        let views = entries
            .iter()
            .map(|(name, dtype, shape, data)| (*name, TensorView::new(*dtype, shape.to_vec(), data).unwrap()));
        serialize(views, None).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let signature = net().verify().unwrap();
        let parameters = net().initialize(1, &Initializers::default()).unwrap();
        let bytes = parameters.to_safetensors().unwrap();
        assert_eq!(Parameters::<f64>::from_safetensors(&bytes, &signature.parameters).unwrap(), parameters);
        assert_eq!(parameters.to_safetensors().unwrap(), bytes);
        let single = parameters.map(|x| *x as f32);
        let bytes = single.to_safetensors().unwrap();
        assert_eq!(Parameters::<f32>::from_safetensors(&bytes, &signature.parameters).unwrap(), single);
        // Widened, exactly.
        let wide = Parameters::<f64>::from_safetensors(&bytes, &signature.parameters).unwrap();
        assert_eq!(wide, single.map(|x| f64::from(*x)));
        let path = std::env::temp_dir().join(format!("pullback-{}.safetensors", std::process::id()));
        parameters.save(&path).unwrap();
        assert_eq!(Parameters::<f64>::load(&path, &signature.parameters).unwrap(), parameters);
        std::fs::remove_file(&path).unwrap();
        let error = Parameters::<f64>::load(&path, &signature.parameters).unwrap_err();
        assert!(matches!(error, SafetensorsError::Io { .. }), "{error}");
    }

    #[test]
    fn half_precision_is_read() {
        let layer = Layer::Dense(Dense { features: 2, bias: true });
        let signature = Architecture::new(&[1, 3], layer).verify().unwrap();
        // 1, -2, the smallest subnormal, the largest, 0.333251953125, -0.
        let halves: Vec<u8> =
            [0x3c00_u16, 0xc000, 0x0001, 0x7bff, 0x3555, 0x8000].iter().flat_map(|h| h.to_le_bytes()).collect();
        let brain: Vec<u8> = [0x3f80_u16, 0xc049].iter().flat_map(|h| h.to_le_bytes()).collect();
        let bytes = bytes_of(&[("weight", Dtype::F16, &[3, 2], &halves), ("bias", Dtype::BF16, &[2], &brain)]);
        let read = Parameters::<f64>::from_safetensors(&bytes, &signature.parameters).unwrap();
        let tiny = 2.0_f64.powi(-24);
        assert_eq!(read.get("weight"), Some(&[1.0, -2.0, tiny, 65504.0, 0.333251953125, -0.0][..]));
        assert_eq!(read.get("bias"), Some(&[1.0, -3.140625][..]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let layer = Layer::Dense(Dense { features: 1, bias: true });
        let parameters = Architecture::new(&[1, 2], layer).verify().unwrap().parameters;
        let (two, one) = ([0_u8; 8], [0_u8; 4]);
        let weight: (&str, Dtype, &[usize], &[u8]) = ("weight", Dtype::F32, &[2, 1], &two);
        let bias: (&str, Dtype, &[usize], &[u8]) = ("bias", Dtype::F32, &[1], &one);
        let refuse = |entries: &[(&str, Dtype, &[usize], &[u8])]| {
            Parameters::<f32>::from_safetensors(&bytes_of(entries), &parameters).unwrap_err().to_string()
        };
        assert_eq!(refuse(&[weight]), "the file has no `bias`, of shape [1]");
        let other = ("extra", Dtype::F32, &[1][..], &one[..]);
        assert_eq!(refuse(&[weight, bias, other]), "the file has `extra`, which the architecture has not");
        let turned = ("weight", Dtype::F32, &[1, 2][..], &two[..]);
        assert_eq!(refuse(&[turned, bias]), "`weight` has shape [1, 2] in the file, the architecture has [2, 1]");
        let double = ("bias", Dtype::F64, &[1][..], &two[..]);
        assert_eq!(refuse(&[weight, double]), "`bias` has type f64 in the file; f32 is read from f32, f16 and bf16");
        let error = Parameters::<f32>::from_safetensors(b"nothing", &parameters).unwrap_err();
        assert!(matches!(error, SafetensorsError::Format(_)), "{error}");
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let of = |name: &str| Parameters::new(&named(&[(name, &[1])]), vec![vec![1.0]]).unwrap();
        let error = of("__metadata__").to_safetensors().unwrap_err();
        assert!(matches!(error, SafetensorsError::Reserved), "{error}");
        for name in ["__metadata", "\"", "", "ü.weight"] {
            let bytes = of(name).to_safetensors().unwrap();
            assert_eq!(Parameters::<f64>::from_safetensors(&bytes, &named(&[(name, &[1])])).unwrap(), of(name));
        }
    }

    #[test]
    fn a_file_is_not_read_for_a_path_that_comes_twice() {
        let (once, twice) = (named(&[("a", &[1])]), named(&[("a", &[1]), ("a", &[1])]));
        let bytes = Parameters::new(&once, vec![vec![1.0]]).unwrap().to_safetensors().unwrap();
        let error = Parameters::<f64>::from_safetensors(&bytes, &twice).unwrap_err();
        assert!(matches!(error, SafetensorsError::Parameters(ParametersError::Twice { .. })), "{error}");
    }
}
