import type { ImageLimits } from './check-image.ts';
import type { ImageSources } from './image-sources.ts';

/** What the operator says of images in requests. */
export interface ImageSettings {
  /** The most of one request. */
  readonly most: number;
  readonly limits: ImageLimits;
  readonly sources: ImageSources;
  /** Milliseconds that fetching one may take. */
  readonly timeout: number;
}
