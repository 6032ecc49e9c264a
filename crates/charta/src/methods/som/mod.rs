//! Self-organizing map (SOM): a grid of prototypes fitted to the data, so that neighbouring units represent similar rows.
//!
//! # Idea
//! Every unit of a grid has a weight vector in feature space. A row is assigned to its best matching unit, and moves that unit and its neighbours on the grid
//! towards itself. The neighbourhood radius shrinks during training: first the whole grid unfolds along the data, in the end every unit represents the rows
//! around it. The result is a clustering whose clusters are arranged on a plane.
//!
//! # Steps
//! 1. `methods::som::Plane`: the first two principal axes give the grid its shape, and the units their initialization.
//! 2. `methods::som::Matching`: the best matching unit of every row and the one after it, by blocked products.
//! 3. `methods::som::Training`: in batch, every unit moves to the mean of all rows, weighted by the distance of their own units
//!    on the grid; online, units are updated after each row. Then 2 again, until the last epoch.
//! 4. [`methods::som::SomModel`](crate::methods::som::SomModel): rows to coordinates of units, coordinates to units, labels by majority.
//!
//! # Objective
//! With units w_u and grid distances d(u, v), batch training descends, for a fixed radius r,
//! E = Σ_x Σ_u h(u, c(x)) ‖x − w_u‖² with h = exp(−d²/2r²), or 1 up to r and 0 beyond (`bubble`): given the best units c(x), the minimum is
//! w_u = Σ_v h(u, v) s_v / Σ_v h(u, v) n_v, where s_v is the sum and n_v the count of the rows with c(x) = v. Online, w_u moves by
//! rate · h(u, c(x)) · (x − w_u). Reported: the quantization error, the mean of ‖x − w_c(x)‖; the topographic error, the fraction of rows whose best and
//! second best units are not neighbours (eight neighbours on a rectangular grid, six on a hexagonal one).
//!
//! # Cost
//! With n rows, d columns and m units an epoch takes n m d + m² d time in batch and the same online, where the radius decides how many units
//! move. Batch runs on all cores, online on one. Memory: 5 m d numbers, and about 50 bytes for every row.
//!
//! # Choosing parameters
//! Without `width` and `height` the grid has about 5 √n units, stretched as the data is along its principal axes, three to one at most. More
//! units give a finer picture, fewer a clustering. `end_radius` trades the two errors: a small one fits units to rows, a large one keeps
//! the grid in order; below 0.3 a Gaussian is k-means in the end. A bubble below 1 is k-means from the start. Columns on very different scales should be
//! scaled first. Hexagonal grids treat directions more evenly; a torus has no border, which otherwise draws units inwards.
//! `n_epochs = 0` keeps the initialization.
//!
//! # New points
//! A row goes to the coordinates of the unit nearest to it: column and row of a rectangular grid; on a hexagonal one odd rows are half a step to
//! the right and rows √3/2 apart, so that neighbours are 1 apart. The inverse transform of any coordinates is the nearest unit; there is
//! no interpolation. With labels, the majority class of the training rows of its unit is predicted (the first of equal ones), or the mean of numbers; a unit
//! without labelled rows takes the nearest units on the grid that have some.
//!
//! # Differences
//! MiniSom trains online by default, with a radius and a rate that fall to a third (here the schedule `inverse`); its bubble is a square. Here batch is the default, which
//! has no rate and no order of rows. A unit that no row reaches stays where it is. The errors are defined as in MiniSom; on a torus neighbours
//! reach over the border. Among equally near units the first is best.
//!
//! # References
//! Kohonen, "Self-organized formation of topologically correct feature maps", 1982. Kohonen, "Essentials of the self-organizing map", 2013. Ultsch and
//! Siemon, "Kohonen's self organizing feature maps for exploratory data analysis", 1990 (the U-matrix). Vesanto, Himberg, Alhoniemi and
//! Parhankangas, "SOM toolbox for Matlab 5", 2000 (the size of the grid). Kiviluoto, "Topology preservation in self-organizing maps", 1996.
//!
//! # Example
//! ```
//! use charta::{Fit, InverseTransform, Model, Transform, methods::som::Som};
//! let data = charta::data::synthetic::s_curve(300, 0.0, 0)?;
//! let model = Som { width: Some(12), height: Some(6), ..Som::default() }.fit(&data)?;
//! assert!(model.topographic_error() < 0.1);
//! let coordinates = model.transform(&data)?;             // columns and rows of the grid
//! let units = model.inverse_transform(&coordinates.view())?;
//! assert_eq!(units.dim(), (300, 3));
//! # Ok::<(), charta::Error>(())
//! ```

mod batch;
mod grid;
mod initialization;
mod labels;
mod matching;
mod model;
mod neighborhood;
mod online;
mod space;
mod training;

pub use grid::{Cells, Grid};
pub use initialization::Initialization;
pub use model::SomModel;
pub use neighborhood::{Neighborhood, Schedule};
pub use training::Learning;

use self::grid::GridOptions;
use self::initialization::{Plane, drawn};
use self::labels::UnitLabels;
use self::matching::{Matching, rows_at_once};
use self::space::Space;
use self::training::{Trained, Training};
use crate::data::Data;
use crate::error::{Result, Warning, counted, message};
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};

use crate::params::Parameters;
use crate::run::Run;

/// Parameters of the self-organizing map.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Som {
    /// Units in a row of the grid. More units show more detail and have fewer rows each; if not given, about 5 √rows units in all, in the proportions of the data.
    #[param(min = 1)]
    pub width: Option<usize>,
    /// Rows of the grid. More rows of units show more detail; if not given, chosen like the width.
    #[param(min = 1)]
    pub height: Option<usize>,
    /// Shape of the grid's cells: `hexagonal` has six neighbours of equal distance, `rectangular` is simpler to draw.
    #[param(default = Cells::Rectangular)]
    pub grid: Cells,
    /// Connect opposite edges of the grid (a torus), which avoids border effects.
    #[param(default = false)]
    pub toroidal: bool,
    /// Training: `batch` updates all units from all rows at once, is deterministic and fast; `online` is Kohonen's stochastic rule, row by row.
    #[param(default = Learning::Batch)]
    pub learning: Learning,
    /// Number of epochs: passes over all rows. More epochs let the map settle; usually 10 to 200.
    #[param(default = 50)]
    pub n_epochs: usize,
    /// Initialization of the units: `pca` (plane of the first two principal components) converges faster, `random` takes rows of the data.
    #[param(default = Initialization::Pca)]
    pub init: Initialization,
    /// Neighbourhood function: `gaussian` falls smoothly with the distance on the grid, `bubble` is constant up to the radius.
    #[param(default = Neighborhood::Gaussian)]
    pub neighborhood: Neighborhood,
    /// Initial neighbourhood radius, in cells. Larger values order the map globally first; if not given, half the longer side of the grid.
    #[param(above = 0.0)]
    pub radius: Option<f64>,
    /// Final neighbourhood radius, in cells. Smaller values fit the data more closely, larger values keep the map smoother; usually 0.5 to 1.
    #[param(default = 0.5, above = 0.0)]
    pub end_radius: f64,
    /// Schedule by which the radius shrinks. `linear` stays wide for longer, `inverse` narrows soonest.
    #[param(default = Schedule::Exponential)]
    pub radius_schedule: Schedule,
    /// Initial learning rate of online training: the fraction of the way that units move towards a row. Larger values order the map faster;
    /// usually 0.1 to 1.
    #[param(default = 0.5, above = 0.0, max = 1.0)]
    pub learning_rate: f64,
    /// Final learning rate of online training. Smaller values let the units settle, larger ones follow the last rows; usually 0.001 to 0.1.
    #[param(default = 0.01, above = 0.0, max = 1.0)]
    pub end_learning_rate: f64,
    /// Schedule by which the learning rate of online training falls. `linear` stays high for longer, `inverse` falls soonest.
    #[param(default = Schedule::Linear)]
    pub rate_schedule: Schedule,
    /// Seed of random initialization and of the order of rows.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for Som {
    const INFO: Info = Info {
        name: "som",
        title: "Self-organizing map",
        summary: "A grid of prototypes fitted to the data, so that neighbouring units represent similar rows",
        family: Family::Learned,
        reference: "Kohonen 1982",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Inverse,
            Capability::RowErrors,
            Capability::Predicts,
            Capability::Interruptible,
        ],
        labels: LabelUse::Optional,
        many_minima: true,
        pictures: &[
            "u_matrix",
            "hits",
            "planes",
            "quantization_error",
            "topographic_error",
        ],
        first_picture: true,
        ..Info::DEFAULT
    };

    type Model = SomModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<SomModel> {
        let features = data.features(Self::INFO.name)?;
        let space = Space::of(data, features)?;
        run.stage("initialization")?;
        let plane = if self.init == Initialization::Pca || self.chooses() {
            Some(Plane::of(run, &space, features, self.seed)?)
        } else {
            None
        };
        let stretch = plane.as_ref().map_or(1.0, Plane::stretch);
        let grid = self.grid_options().grid(features.n_rows(), stretch)?;
        let units = match (self.init, plane) {
            (Initialization::Pca, Some(plane)) => plane.units(&grid),
            _ => drawn(&space, features, grid.n_units(), self.seed),
        };
        run.stage("training")?;
        let training = self.training(grid);
        let trained = training.train(run, &space, features, units)?;
        self.warn(run, &trained)?;
        Ok(self.model(data, space, &training, trained))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        self.grid_options().grid(n.max(1), 1.0)?;
        let m = self.grid_options().most_units(n);
        let learning = match self.learning {
            Learning::Batch => "batch training of units on a grid",
            Learning::Online => "online training of units on a grid",
        };
        let at_once = rows_at_once(m).min(n);
        Ok(Plan::new(learning)
            .needs("units and sums", (m, d), 5 * 8)
            .needs("weights on the grid", (128.min(m), m), 4 * 8)
            .needs(
                "rows compared at once",
                (at_once, m.saturating_add(d)),
                4 * 8,
            )
            .needs("principal axes", (n.min(1024).saturating_add(d), 24), 4 * 8)
            .needs("units of rows and map", (n, 1), 64)
            .advice(message!("use fewer units, or fewer {:rows}")))
    }
}

impl Som {
    fn grid_options(&self) -> GridOptions {
        GridOptions {
            width: self.width,
            height: self.height,
            cells: self.grid,
            toroidal: self.toroidal,
        }
    }

    /// Whether the shape of the grid follows the data.
    fn chooses(&self) -> bool {
        self.width.is_none() && self.height.is_none()
    }

    fn training(&self, grid: Grid) -> Training {
        let half = grid.width().max(grid.height()) as f64 / 2.0;
        Training {
            grid,
            learning: self.learning,
            n_epochs: self.n_epochs,
            neighborhood: self.neighborhood,
            first_radius: self.radius.unwrap_or(half.max(self.end_radius)),
            last_radius: self.end_radius,
            radius_schedule: self.radius_schedule,
            first_rate: self.learning_rate,
            last_rate: self.end_learning_rate,
            rate_schedule: self.rate_schedule,
            seed: self.seed,
        }
    }

    fn warn(&self, run: &Run<'_>, trained: &Trained) -> Result<()> {
        let (n_units, n_rows) = (trained.units.nrows(), trained.matching.n_rows());
        let first = trained.matching.best.first();
        if n_units > 1 && n_rows > 1 && trained.matching.best.iter().all(|unit| Some(unit) == first)
        {
            return run.warn(Warning::doubtful(
                message!("the map"),
                message!(
                    "all {:rows} have the same best-matching unit: they are the same, or one is an \
                     extreme outlier"
                ),
            ));
        }
        if self.width.is_some() && self.height.is_some() && n_units > n_rows {
            return run.warn(Warning::doubtful(
                message!("the map of {}", counted(n_units, "unit")),
                message!("{:data} has only {n_rows:rows}: use a smaller grid"),
            ));
        }
        Ok(())
    }

    fn model(
        &self,
        data: &Data<'_>,
        space: Space,
        training: &Training,
        trained: Trained,
    ) -> SomModel {
        let grid = training.grid;
        let matching = &trained.matching;
        let labels = data.labels().and_then(|labels| {
            let name = data.label_name().unwrap_or("label");
            UnitLabels::of(matching, grid.n_units(), labels, name)
        });
        let accuracy = labels.as_ref().and_then(UnitLabels::accuracy);
        let embedding = matching.coordinates(&grid);
        SomModel {
            grid,
            space,
            hits: matching.hits(grid.n_units()),
            units: trained.units,
            learning: self.learning,
            neighborhood: self.neighborhood,
            first_radius: training.first_radius,
            last_radius: trained.last_radius,
            interrupted: trained.interrupted,
            quantization_errors: trained.quantization_errors,
            topographic_errors: trained.topographic_errors,
            columns: data.column_names().map(<[String]>::to_vec),
            labels,
            accuracy,
            embedding: Some(embedding),
        }
    }
}
