/** The paths of the models: the version of Google's API that its clients use, and the stable one. */
export const modelPaths = ['/v1beta/models/*', '/v1/models/*'];
