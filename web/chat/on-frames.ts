/** Calls `show` with the latest value at most once per animation frame. */
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
