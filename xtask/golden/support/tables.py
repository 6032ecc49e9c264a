"""Small published tables that no Python package carries, and the rows and distances that the scaling references are computed from."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from support import data

# Road distances in km between 21 cities, from The Cambridge Encyclopaedia (1990), as R's `eurodist` gives them: the triangle below the diagonal,
# column by column.
CITIES = (
    "Athens Barcelona Brussels Calais Cherbourg Cologne Copenhagen Geneva Gibraltar Hamburg Hook_of_Holland Lisbon Lyons Madrid Marseilles Milan "
    "Munich Paris Rome Stockholm Vienna"
).split()
ROAD_KILOMETRES = """
3313 2963 3175 3339 2762 3276 2610 4485 2977 3030 4532 2753 3949 2865 2282 2179 3000 817 3927 1991 1318 1326 1294 1498 2218 803 1172 2018 1490 1305
645 636 521 1014 1365 1033 1460 2868 1802 204 583 206 966 677 2256 597 172 2084 690 1558 1011 925 747 285 1511 1616 1175 460 409 1136 747 2224 714
330 2052 739 1550 1059 1077 977 280 1662 1786 1381 785 1545 853 2047 1115 731 1827 789 1347 1101 1209 1160 340 1794 2196 1588 760 1662 2436 460 269
2290 714 1764 1035 911 583 465 1497 1403 937 1418 3196 460 269 2971 1458 2498 1778 1537 1104 1176 2050 650 1455 1975 1118 895 1936 158 1439 425 328
591 513 995 2068 1019 2897 2428 676 1817 698 1693 2185 2565 1971 2631 3886 2974 550 2671 1159 2198 1479 1238 805 877 1751 949 1155 2280 863 1730
1183 1098 851 457 1683 1500 1205 1178 668 1762 2250 2507 1799 2700 3231 2937 1281 320 328 724 471 1048 2108 1157 1157 1724 2010 1273 2097 3188 2409
618 1109 792 1011 2428 1363 331 856 586 2187 898 821 946 1754 428 1476 1827 1249 2707 1209 2105
"""

# Fertility and five social figures of 47 French-speaking provinces of Switzerland about 1888, from Mosteller and Tukey, Data Analysis and Regression
# (1977), as R's `swiss` gives them: fertility, agriculture, examination, education, catholic, infant mortality.
PROVINCES = """
80.2 17 15 12 9.96 22.2  83.1 45.1 6 9 84.84 22.2  92.5 39.7 5 5 93.4 20.2  85.8 36.5 12 7 33.77 20.3
76.9 43.5 17 15 5.16 20.6  76.1 35.3 9 7 90.57 26.6  83.8 70.2 16 7 92.85 23.6  92.4 67.8 14 8 97.16 24.9
82.4 53.3 12 7 97.67 21  82.9 45.2 16 13 91.38 24.4  87.1 64.5 14 6 98.61 24.5  64.1 62 21 12 8.52 16.5
66.9 67.5 14 7 2.27 19.1  68.9 60.7 19 12 4.43 22.7  61.7 69.3 22 5 2.82 18.7  68.3 72.6 18 2 24.2 21.2
71.7 34 17 8 3.3 20  55.7 19.4 26 28 12.11 20.2  54.3 15.2 31 20 2.15 10.8  65.1 73 19 9 2.84 20
65.5 59.8 22 10 5.23 18  65 55.1 14 3 4.52 22.4  56.6 50.9 22 12 15.14 16.7  57.4 54.1 20 6 4.2 15.3
72.5 71.2 12 1 2.4 21  74.2 58.1 14 8 5.23 23.8  72 63.5 6 3 2.56 18  60.5 60.8 16 10 7.72 16.3
58.3 26.8 25 19 18.46 20.9  65.4 49.5 15 8 6.1 22.5  75.5 85.9 3 2 99.71 15.1  69.3 84.9 7 6 99.68 19.8
77.3 89.7 5 2 100 18.3  70.5 78.2 12 6 98.96 19.4  79.4 64.9 7 3 98.22 20.2  65 75.9 9 9 99.06 17.8
92.2 84.6 3 3 99.46 16.3  79.3 63.1 13 13 96.83 18.1  70.4 38.4 26 12 5.62 20.3  65.7 7.7 29 11 13.79 20.5
72.7 16.7 22 13 11.22 18.9  64.4 17.6 35 32 16.92 23  77.6 37.6 15 7 4.97 20  67.6 18.7 25 7 8.65 19.5
35 1.2 37 53 42.34 18  44.7 46.6 16 29 50.43 18.2  42.8 27.7 22 29 58.33 19.3
"""


def eurodist():
    """The distances between the cities."""
    return squareform(np.array(ROAD_KILOMETRES.split(), dtype=np.float64))


def swiss():
    """The provinces without their fertility, as the example of R's `sammon` takes them."""
    return np.array(PROVINCES.split(), dtype=np.float64).reshape(47, 6)[:, 1:]


def unique(rows):
    """The rows without repetitions, each where it stands first."""
    return rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]


def scaled_set(name):
    """Distances of a data set that is to be mapped, its rows (None for the cities) and its description."""
    if name == "eurodist":
        distances = eurodist()
        return distances, None, data.describe(name, distances, "The Cambridge Encyclopaedia 1990, as R tabulates it; the sums are of the distances")
    if name == "swiss":
        rows, source = swiss(), "Mosteller and Tukey 1977, as R tabulates it, without the column of fertility"
    elif name == "iris":
        # Whole numbers: equal distances are then equal in any arithmetic.
        rows, source = unique((10.0 * data.small("iris")).round()), "sklearn.datasets.load_iris times ten, rounded, rows without repetitions"
    else:
        rows, source = data.small("digits")[:150], "the first 150 rows of sklearn.datasets.load_digits"
    return squareform(pdist(rows)), rows, data.describe(name, rows, source)
