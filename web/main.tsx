import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme, readTheme } from './lib/theme.ts';
import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/controls.css';
import './style/playground.css';
import './style/dashboard.css';

applyTheme(readTheme());
const container = document.getElementById('app');
if (container) render(<App />, container);
