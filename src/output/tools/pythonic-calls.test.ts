import { describe, expect, it } from 'vitest';
import { run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { pythonic } from './pythonic.ts';

function parse(text: string): readonly Value[] {
  const parser = () => pythonic.parser({ tools, mostHeld: 1000 });
  const result = run(parser(), [text]);
  for (let at = 0; at <= text.length; at++) expect(run(parser(), [text.slice(0, at), text.slice(at)])).toEqual(result);
  return result;
}

const weather: Value = { call: 'get_weather', arguments: '{"days": 1}', isComplete: true };
const ping: Value = { call: 'ping', arguments: '{}', isComplete: true };

describe('a Python list of calls', () => {
  it('may have a comma behind the last call', () => {
    expect(parse('[get_weather(days=1),\n ping(),\n]\n')).toEqual([weather, ping]);
  });

  it('gives the calls between those that are text', () => {
    const unknown = `launch(at="a, ping()", by=['it\\'s)', {'x': (1,)}], why="""say "hi" (""")`;
    expect(parse(`[get_weather(days=1), ${unknown}, ping(), stop(), ping()]`)).toEqual([
      weather,
      { text: `, ${unknown}` },
      ping,
      { text: ', stop()' },
      ping,
    ]);
    expect(parse(`[${unknown}, ping()]`)).toEqual([{ text: `[${unknown}` }, ping]);
    expect(parse(`[ping(), ${unknown}]`)).toEqual([ping, { text: `, ${unknown}]` }]);
    expect(parse('[ping(), launch(at="x')).toEqual([ping, { text: ', launch(at="x' }]);
  });

  it('is found behind brackets that never close', () => {
    expect(parse("[see(it's open [ping()]")).toEqual([{ text: "[see(it's open " }, ping]);
  });
});
