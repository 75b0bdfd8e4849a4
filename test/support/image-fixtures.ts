import { deflateSync } from 'node:zlib';

const base64 = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAHElEQVR42mM8IWfDwMDAwMDAxMDAYGFzmIGBAQAatAJdp/o5sAAAAABJRU5ErkJggg==',
  jpeg: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAgX/xAAXEQADAQAAAAAAAAAAAAAAAAAAATEC/9oADAMBAAIRAxEAPwCIAHStmI//2Q==',
  webpLossy: 'UklGRjIAAABXRUJQVlA4ICYAAABwAQCdASoDAAIAB0CWJagCdAFAAAD+4cIUvCf3a0l7Y/OLMssAAA==',
  webpLossless: 'UklGRiIAAABXRUJQVlA4TBYAAAAvAkAAAA9wLeJBfs///AcPXnAQ0f8I',
  webpAlpha:
    'UklGRlAAAABXRUJQVlA4WAoAAAAQAAAAAgAAAQAAQUxQSAcAAAAAWlpaWlpaAFZQOCAiAAAAcAEAnQEqAwACAAdAliWgAnQBdQAA/uHAvbf4c+LP1PbAAA==',
  webpAnimated:
    'UklGRtAAAABXRUJQVlA4WAoAAAACAAAAAgAAAQAAQU5JTQYAAAAAAAAAAABBTk1GUAAAAAAAAAAAAAIAAAEAADIAAAJWUDggOAAAAFABAJ0BKgMAAgABQCYlqAAEdAAA/vDXA/EB3ylc1p53yc2//+23Zt9xf/3jP//rbs2+4v6kAAAAQU5NRkwAAAAAAAAAAAACAAABAAAyAAAAVlA4IDQAAAA0AQCdASoDAAIAAAAmJaAAA3AA/ukiH//3nz//ufP/+58/6M///yn7//I4//8jj/5QIAAA',
  gif: 'R0lGODdhAwACAIEAAMgePABa/wAAAAAAACwAAAAAAwACAAAICAABCAQQAEBAADs=',
  gifAnimated:
    'R0lGODlhAwACAIEAAMgePABa/wAAAAAAACH5BAAFAAAALAAAAAADAAIAAAgIAAEIBBAAQEAAIfkEAQUAAQAsAAAAAAMAAgCBAP8AAAAAAAAAAAAACAYAAQgcGBAAOw==',
} as const;

export type SampleName = keyof typeof base64;

export const sampleNames = Object.keys(base64) as SampleName[];

/** A picture of 3 x 2 pixels, as Pillow writes it. */
export function sample(name: SampleName): Buffer {
  return Buffer.from(base64[name], 'base64');
}

export function dataUrl(bytes: Buffer, type = 'image/png'): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** A PNG file that says that it is so large; its pixels are a few bytes. */
export function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(64))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([sample('png').subarray(0, 8), ...chunks]);
}

/** Readers of headers do not look at checksums. */
function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
}
