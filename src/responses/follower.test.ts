import { expect, it } from 'vitest';
import { Follower } from './follower.ts';

function followed(next: number) {
  const events = { written: ['a', 'b'], isOver: false };
  const heard: string[] = [];
  const follower = new Follower(events, next, { text: (text) => heard.push(text), end: () => heard.push('end') });
  return { events, heard, follower };
}

it('gives each event once, from its number on, and the end', () => {
  const { events, heard, follower } = followed(1);
  follower.look();
  events.written.push('c', 'd');
  follower.look();
  follower.look();
  events.isOver = true;
  events.written.push('e');
  follower.look();
  follower.look();
  expect(heard).toEqual(['b', 'cd', 'e', 'end']);
});

it('waits for the event whose number comes next', () => {
  const { events, heard, follower } = followed(3);
  follower.look();
  events.written.push('c', 'd');
  follower.look();
  expect(heard).toEqual(['d']);
});

it('gives a paused sink nothing before it is resumed, and a cancelled one nothing at all', () => {
  const { events, heard, follower } = followed(0);
  follower.pause();
  follower.look();
  events.written.push('c');
  events.isOver = true;
  follower.look();
  expect(heard).toEqual([]);
  follower.resume();
  expect(heard).toEqual(['abc', 'end']);
  const left = followed(0);
  left.follower.cancel();
  left.follower.look();
  expect(left.heard).toEqual([]);
});
