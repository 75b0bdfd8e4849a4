import { expect, it } from 'vitest';
import { Follower } from './follower.ts';

function followed(next: number) {
  const events = { written: ['a', 'b'], isOver: false };
  const received: string[] = [];
  const follower = new Follower(events, next, { text: (text) => received.push(text), end: () => received.push('end') });
  return { events, received, follower };
}

it('gives each event once, from its number on, and the end', () => {
  const { events, received, follower } = followed(1);
  follower.look();
  events.written.push('c', 'd');
  follower.look();
  follower.look();
  events.isOver = true;
  events.written.push('e');
  follower.look();
  follower.look();
  expect(received).toEqual(['b', 'cd', 'e', 'end']);
});

it('waits for the event whose number comes next', () => {
  const { events, received, follower } = followed(3);
  follower.look();
  events.written.push('c', 'd');
  follower.look();
  expect(received).toEqual(['d']);
});

it('gives a paused sink nothing before it is resumed, and a cancelled one nothing at all', () => {
  const { events, received, follower } = followed(0);
  follower.pause();
  follower.look();
  events.written.push('c');
  events.isOver = true;
  follower.look();
  expect(received).toEqual([]);
  follower.resume();
  expect(received).toEqual(['abc', 'end']);
  const left = followed(0);
  left.follower.cancel();
  left.follower.look();
  expect(left.received).toEqual([]);
});
