/** How large a picture says that it is. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}
