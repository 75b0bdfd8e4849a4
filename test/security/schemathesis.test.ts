import { testWithSchemathesis } from './schemathesis.ts';

// All of it takes minutes and runs with `npm run soak`.
testWithSchemathesis({ examples: 4, coverageOneIn: 6 });
