"""A model that cannot be loaded."""


class TritonPythonModel:
    def initialize(self, args):
        raise ValueError("this model never loads")
