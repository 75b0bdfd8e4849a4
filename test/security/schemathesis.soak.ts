import { testWithSchemathesis } from './schemathesis.ts';

testWithSchemathesis({ examples: 20, coverageOneIn: 1 });
