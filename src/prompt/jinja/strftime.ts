const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Python's `strftime` in the C locale and local time, whatever locale this process has. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%([-_0^#]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const field = fieldOf(date, letter);
    if (field === undefined) return whole;
    if (flag === '-') return field.replace(/^[0 ]+(?=\d)/, '');
    if (flag === '_') return field.replace(/^0+(?=\d)/, (zeros) => ' '.repeat(zeros.length));
    return flag === '^' ? field.toUpperCase() : field;
  });
}

function fieldOf(date: Date, letter: string): string | undefined {
  const month = months[date.getMonth()] ?? '';
  const day = days[date.getDay()] ?? '';
  switch (letter) {
    case 'a':
      return day.slice(0, 3);
    case 'A':
      return day;
    case 'b':
    case 'h':
      return month.slice(0, 3);
    case 'B':
      return month;
    case 'c':
      return strftime(date, '%a %b %e %H:%M:%S %Y');
    case 'd':
      return two(date.getDate());
    case 'D':
    case 'x':
      return strftime(date, '%m/%d/%y');
    case 'e':
      return String(date.getDate()).padStart(2, ' ');
    case 'f':
      return `${String(date.getMilliseconds()).padStart(3, '0')}000`;
    case 'F':
      return strftime(date, '%Y-%m-%d');
    case 'H':
      return two(date.getHours());
    case 'I':
      return two(date.getHours() % 12 || 12);
    case 'j':
      return String(dayOfYear(date)).padStart(3, '0');
    case 'm':
      return two(date.getMonth() + 1);
    case 'M':
      return two(date.getMinutes());
    case 'n':
      return '\n';
    case 'p':
      return date.getHours() < 12 ? 'AM' : 'PM';
    case 'R':
      return strftime(date, '%H:%M');
    case 's':
      return String(Math.floor(date.getTime() / 1000));
    case 'S':
      return two(date.getSeconds());
    case 't':
      return '\t';
    case 'T':
    case 'X':
      return strftime(date, '%H:%M:%S');
    case 'u':
      return String(date.getDay() || 7);
    case 'U':
      return two(Math.floor((dayOfYear(date) + 6 - date.getDay()) / 7));
    case 'w':
      return String(date.getDay());
    case 'W':
      return two(Math.floor((dayOfYear(date) + 6 - ((date.getDay() + 6) % 7)) / 7));
    case 'y':
      return two(date.getFullYear() % 100);
    case 'Y':
      return String(date.getFullYear());
    case 'z':
    case 'Z':
      // A naive datetime, which is what transformers formats, has no zone.
      return '';
    case '%':
      return '%';
    default:
      return undefined;
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000) + 1;
}
