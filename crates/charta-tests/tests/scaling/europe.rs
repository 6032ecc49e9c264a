//! The map of Europe from road distances: R's `eurodist`, 21 cities.

use charta::methods::classical_mds::ClassicalMds;
use charta::methods::mds::Mds;
use charta::methods::sammon::Sammon;
use charta::quality::procrustes;
use charta::{Data, Fit, Model};
use ndarray::Array2;

/// Latitude and longitude in degrees.
const CITIES: [(&str, f64, f64); 21] = [
    ("Athens", 37.98, 23.73),
    ("Barcelona", 41.39, 2.17),
    ("Brussels", 50.85, 4.35),
    ("Calais", 50.95, 1.86),
    ("Cherbourg", 49.64, -1.62),
    ("Cologne", 50.94, 6.96),
    ("Copenhagen", 55.68, 12.57),
    ("Geneva", 46.2, 6.15),
    ("Gibraltar", 36.14, -5.35),
    ("Hamburg", 53.55, 9.99),
    ("Hook of Holland", 51.98, 4.13),
    ("Lisbon", 38.72, -9.14),
    ("Lyons", 45.76, 4.84),
    ("Madrid", 40.42, -3.7),
    ("Marseilles", 43.3, 5.37),
    ("Milan", 45.46, 9.19),
    ("Munich", 48.14, 11.58),
    ("Paris", 48.86, 2.35),
    ("Rome", 41.9, 12.5),
    ("Stockholm", 59.33, 18.07),
    ("Vienna", 48.21, 16.37),
];

/// Kilometres by road from each city to those before it.
const ROADS: &str = "
    3313
    2963 1318
    3175 1326 204
    3339 1294 583 460
    2762 1498 206 409 785
    3276 2218 966 1136 1545 760
    2610 803 677 747 853 1662 1418
    4485 1172 2256 2224 2047 2436 3196 1975
    2977 2018 597 714 1115 460 460 1118 2897
    3030 1490 172 330 731 269 269 895 2428 550
    4532 1305 2084 2052 1827 2290 2971 1936 676 2671 2280
    2753 645 690 739 789 714 1458 158 1817 1159 863 1178
    3949 636 1558 1550 1347 1764 2498 1439 698 2198 1730 668 1281
    2865 521 1011 1059 1101 1035 1778 425 1693 1479 1183 1762 320 1157
    2282 1014 925 1077 1209 911 1537 328 2185 1238 1098 2250 328 1724 618
    2179 1365 747 977 1160 583 1104 591 2565 805 851 2507 724 2010 1109 331
    3000 1033 285 280 340 465 1176 513 1971 877 457 1799 471 1273 792 856 821
    817 1460 1511 1662 1794 1497 2050 995 2631 1751 1683 2700 1048 2097 1011 586 946 1476
    3927 2868 1616 1786 2196 1403 650 2068 3886 949 1500 3231 2108 3188 2428 2187 1754 1827 2707
    1991 1802 1175 1381 1588 937 1455 1019 2974 1155 1205 2937 1157 2409 1363 898 428 1249 1209 2105
";

fn roads() -> Array2<f64> {
    let mut matrix = Array2::zeros((21, 21));
    let lines = ROADS.lines().filter(|line| !line.trim().is_empty());
    for (line, row) in lines.zip(1..) {
        for (word, other) in line.split_whitespace().zip(0..) {
            let length: f64 = word.parse().unwrap();
            matrix[[row, other]] = length;
            matrix[[other, row]] = length;
        }
    }
    matrix
}

/// The cities on a plane that keeps distances and directions from the middle of them.
fn true_map() -> Array2<f64> {
    let mean = |of: fn(&(&str, f64, f64)) -> f64| {
        CITIES.iter().map(of).sum::<f64>().to_radians() / CITIES.len() as f64
    };
    let (sin, cos) = mean(|city| city.1).sin_cos();
    let middle = mean(|city| city.2);
    let mut map = Array2::zeros((CITIES.len(), 2));
    for ((_, latitude, longitude), mut place) in CITIES.iter().zip(map.rows_mut()) {
        let (up, along) = latitude.to_radians().sin_cos();
        let east = longitude.to_radians() - middle;
        let angle = (sin * up + cos * along * east.cos()).acos();
        let stretch = angle / angle.sin();
        place[0] = stretch * along * east.sin();
        place[1] = stretch * (cos * up - sin * along * east.cos());
    }
    map
}

/// The correlation of a map with the true one, laid over it; distances cannot tell a map from its mirror image.
fn correlation(map: &Array2<f64>) -> f64 {
    let laid = procrustes::align(&map.view(), &true_map().view()).unwrap();
    (1.0 - laid.disparity).sqrt()
}

#[test]
fn classical_scaling_draws_the_map_of_europe() {
    let roads = roads();
    assert_eq!(roads.sum(), 632_162.0);
    let model = ClassicalMds::default()
        .fit(Data::distances(roads.view()).unwrap())
        .unwrap();
    // Roads to Athens lead far around, and squares of distances count most here.
    let found = correlation(&model.embedding().unwrap().to_owned());
    assert!((found - 0.9663).abs() < 1e-4, "{found}");
    // R 4: cmdscale(eurodist, eig = TRUE)$GOF, and the first eigenvalues.
    let [of_sizes, of_positive] = model.goodness_of_fit();
    assert!((of_sizes - 0.753_754_3).abs() < 1e-6, "{of_sizes}");
    assert!((of_positive - 0.867_913_4).abs() < 1e-6, "{of_positive}");
    let first = model.eigenvalues()[0];
    assert!((first / 19_538_377.0 - 1.0).abs() < 1e-6, "{first}");
}

#[test]
fn stress_draws_it_better() {
    let roads = roads();
    let data = Data::distances(roads.view()).unwrap();
    let mds = Mds::default().fit(&data).unwrap();
    let sammon = Sammon::default().fit(&data).unwrap();
    for model in [&mds as &dyn Model, &sammon] {
        let found = correlation(&model.embedding().unwrap().to_owned());
        assert!(found > 0.97, "{found}");
    }
}

#[test]
fn the_additive_constant_leaves_no_negative_eigenvalue_and_is_the_least_that_does() {
    let roads = roads();
    let fit = |matrix: &Array2<f64>, additive| {
        let method = ClassicalMds {
            additive,
            ..ClassicalMds::default()
        };
        method.fit(Data::distances(matrix.view()).unwrap()).unwrap()
    };
    let mended = fit(&roads, true);
    let constant = mended.constant();
    // The largest eigenvalue of Cailliez's matrix of twice the size, by NumPy.
    assert!((constant - 2_132.678_495).abs() < 1e-4, "{constant}");
    assert_eq!(mended.fidelity().n_negative, 0);
    let mut less = &roads + 0.99 * constant;
    less.diag_mut().fill(0.0);
    assert!(fit(&less, false).fidelity().n_negative > 0);
    assert!(correlation(&mended.embedding().unwrap().to_owned()) > 0.97);
}
