import { describe, expect, it } from 'vitest';
import { workersFor } from './bench.ts';

describe('workersFor', () => {
  it('has no process without a request of its own', () => {
    expect(workersFor({ kind: 'concurrency', concurrency: 1 }, 2)).toBe(1);
    expect(workersFor({ kind: 'concurrency', concurrency: 8 }, 2)).toBe(2);
    expect(workersFor({ kind: 'rate', perSecond: 1, arrival: 'constant', seed: 1 }, 2)).toBe(2);
  });
});
