const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Python's `strftime` in the C locale and local time, whatever locale this process has. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%([-_0^#]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const field = fields[letter]?.(date);
    if (field === undefined) return whole;
    if (flag === '-') return field.replace(/^[0 ]+(?=\d)/, '');
    if (flag === '_') return field.replace(/^0+(?=\d)/, (zeros) => ' '.repeat(zeros.length));
    return flag === '^' ? field.toUpperCase() : field;
  });
}

/** The text of a letter after `%`. */
const fields: Readonly<Record<string, (date: Date) => string>> = {
  a: (date) => dayName(date).slice(0, 3),
  A: dayName,
  b: (date) => monthName(date).slice(0, 3),
  B: monthName,
  c: (date) => strftime(date, '%a %b %e %H:%M:%S %Y'),
  d: (date) => two(date.getDate()),
  D: (date) => strftime(date, '%m/%d/%y'),
  e: (date) => String(date.getDate()).padStart(2, ' '),
  f: (date) => `${String(date.getMilliseconds()).padStart(3, '0')}000`,
  F: (date) => strftime(date, '%Y-%m-%d'),
  h: (date) => monthName(date).slice(0, 3),
  H: (date) => two(date.getHours()),
  I: (date) => two(date.getHours() % 12 || 12),
  j: (date) => String(dayOfYear(date)).padStart(3, '0'),
  m: (date) => two(date.getMonth() + 1),
  M: (date) => two(date.getMinutes()),
  n: () => '\n',
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  R: (date) => strftime(date, '%H:%M'),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  S: (date) => two(date.getSeconds()),
  t: () => '\t',
  T: (date) => strftime(date, '%H:%M:%S'),
  u: (date) => String(date.getDay() || 7),
  U: (date) => two(Math.floor((dayOfYear(date) + 6 - date.getDay()) / 7)),
  w: (date) => String(date.getDay()),
  W: (date) => two(Math.floor((dayOfYear(date) + 6 - ((date.getDay() + 6) % 7)) / 7)),
  x: (date) => strftime(date, '%m/%d/%y'),
  X: (date) => strftime(date, '%H:%M:%S'),
  y: (date) => two(date.getFullYear() % 100),
  Y: (date) => String(date.getFullYear()),
  // A naive datetime, which is what transformers formats, has no zone.
  z: () => '',
  Z: () => '',
  '%': () => '%',
};

function monthName(date: Date): string {
  return months[date.getMonth()] ?? '';
}

function dayName(date: Date): string {
  return days[date.getDay()] ?? '';
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000) + 1;
}
