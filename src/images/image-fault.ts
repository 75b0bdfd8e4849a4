/** Why a picture is not taken, written for the client; whoever knows which part it came from names that. */
export class ImageFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ImageFault';
  }
}
