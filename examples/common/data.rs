//! The rows: read, shuffled, split, batched.

use std::error::Error;
use std::io::Read;

use flate2::read::GzDecoder;
use pullback::program::dynamic::random::Random;
use pullback::{Dim, LengthError, Tensor};

use super::Pixel;

/// A picture, scaled to 0 to 1, and its digit.
#[derive(Clone)]
struct Row {
    pixels: Vec<f32>,
    digit: usize,
}

#[derive(Clone)]
pub(crate) struct Rows(Vec<Row>);

/// All rows of the file that the example ships.
pub(crate) fn load() -> Result<Rows, Box<dyn Error>> {
    let mut text = String::new();
    GzDecoder::new(&include_bytes!("digits.csv.gz")[..]).read_to_string(&mut text)?;
    let row = |line: &str| -> Result<Row, Box<dyn Error>> {
        let mut pixels = line.split(',').map(str::parse).collect::<Result<Vec<f32>, _>>()?;
        let digit = pixels.pop().ok_or("an empty row")? as usize;
        pixels.iter_mut().for_each(|p| *p /= 16.0);
        Ok(Row { pixels, digit })
    };
    text.lines().map(row).collect::<Result<_, _>>().map(Rows)
}

impl Rows {
    pub(crate) fn shuffle(&mut self, random: &mut Random) {
        for i in (1..self.0.len()).rev() {
            self.0.swap(i, random.below(i + 1));
        }
    }

    /// Shuffles, then keeps back `held_out` rows: those to learn from, those kept back.
    pub(crate) fn split(mut self, held_out: usize, random: &mut Random) -> (Rows, Rows) {
        self.shuffle(random);
        let kept = self.0.split_off(self.0.len() - held_out);
        (self, Rows(kept))
    }

    /// Every picture moved by up to a pixel along each axis; what comes in at the border is empty.
    pub(crate) fn moved(&self, random: &mut Random) -> Rows {
        const SIDE: usize = 8;
        let mut moved = |row: &Row| {
            let (down, right) = (random.below(3), random.below(3));
            let pixel = |at: usize| {
                let (y, x) = ((at / SIDE + down).checked_sub(1)?, (at % SIDE + right).checked_sub(1)?);
                (y < SIDE && x < SIDE).then(|| row.pixels[y * SIDE + x])
            };
            Row { pixels: (0..SIDE * SIDE).map(|at| pixel(at).unwrap_or(0.0)).collect(), digit: row.digit }
        };
        Rows(self.0.iter().map(&mut moved).collect())
    }

    /// Whole batches; what is left over waits for the next shuffle.
    pub(crate) fn batches<B: Dim>(&self) -> impl Iterator<Item = (Tensor<(B, Pixel)>, Vec<usize>)> {
        self.0.chunks_exact(B::SIZE).map(|rows| {
            let pixels = Tensor::from_fn(|k| rows[k / Pixel::SIZE].pixels[k % Pixel::SIZE]);
            (pixels, rows.iter().map(|r| r.digit).collect())
        })
    }

    /// All pictures as one tensor; an error unless there are as many as the axis says.
    pub(crate) fn pixels<B: Dim>(&self) -> Result<Tensor<(B, Pixel)>, LengthError> {
        Tensor::from_vec(self.0.iter().flat_map(|r| r.pixels.iter().copied()).collect())
    }

    pub(crate) fn labels(&self) -> Vec<usize> {
        self.0.iter().map(|r| r.digit).collect()
    }
}
