class AsyncEngineArgs:
    def __init__(self, **arguments):
        self.arguments = arguments
