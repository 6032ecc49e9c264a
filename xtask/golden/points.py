"""The point clouds that the manifold references are computed from: swiss roll, S-curve, severed sphere.

Writes `points_<cloud>.json`. The coordinates are rounded to six decimals before any reference sees them.
"""

from support import clouds, command, data, versions, writing

HOW = {
    "swiss_roll": "sklearn.datasets.make_swiss_roll(1000, random_state=0)",
    "s_curve": "sklearn.datasets.make_s_curve(1000, random_state=0)",
    "severed_sphere": "made in the script as in scikit-learn's example of manifold learning on a severed sphere, of 1,000 points",
}


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name, how in HOW.items():
        colour = clouds.MAKERS[name]()[1]
        rows = clouds.cloud(name)
        document = {
            "reference": versions.reference("scikit-learn", how),
            "data": data.describe(name, rows, how),
            "decimals": clouds.DECIMALS,
            "colour": colour.round(clouds.DECIMALS),
            "points": rows,
        }
        writing.write(output, f"points_{name}.json", document)


if __name__ == "__main__":
    main()
