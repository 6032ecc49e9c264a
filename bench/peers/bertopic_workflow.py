"""Topics of BERTopic with `umap_model=charta.UMAP(...)`, on made-up documents whose embeddings are given, so that no language model is needed.

``python bench/peers/bertopic_workflow.py``: stops with a line that says so where BERTopic is missing.
"""

import sys

import numpy as np


def main():
    try:
        from bertopic import BERTopic
        from bertopic.backend import BaseEmbedder
    except ImportError as error:
        sys.exit(f"{error}: pip install bertopic")
    import charta

    draw = np.random.default_rng(0)
    words = ["river lake water fish", "star planet moon orbit", "bread flour oven butter", "goal ball team match"]
    topics = draw.integers(len(words), size=400)
    documents = [" ".join(draw.choice(words[topic].split(), size=12)) for topic in topics]
    centres = 3 * draw.normal(size=(len(words), 100))
    embeddings = centres[topics] + draw.normal(size=(400, 100))
    model = BERTopic(umap_model=charta.UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine"), embedding_model=BaseEmbedder())
    found, _ = model.fit_transform(documents, embeddings)
    placed, _ = model.transform(documents[:20], embeddings[:20])
    table = model.get_topic_info()
    print(table[["Topic", "Count", "Name"]].to_string(index=False))
    pure = np.mean([np.bincount(topics[np.asarray(found) == topic]).max() / (np.asarray(found) == topic).sum() for topic in set(found)])
    print(f"purity of the topics {pure:.3f}; {np.mean(np.asarray(placed) == np.asarray(found)[:20]):.0%} of known documents placed in their topic again")


if __name__ == "__main__":
    main()
