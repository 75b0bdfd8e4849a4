/** Calls with the latest value once in a frame of the screen, however often it is called. */
export function onFrames<T>(show: (value: T) => void): {
  readonly next: (value: T) => void;
  readonly stop: () => void;
} {
  let frame: number | undefined;
  let latest: T;
  return {
    next: (value) => {
      latest = value;
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        show(latest);
      });
    },
    stop: () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
    },
  };
}
