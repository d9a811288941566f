import '../start/locale';
import '../start/errors';
import { mount } from 'svelte';
import { live } from '../state/live.svelte';
import '../style/tokens.css';
import '../style/base.css';
import './report.css';
import { held } from './held';
import Report from './Report.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('the report has no place for what it shows');
// What was going on was going on then.
live.now = held.head.written_micros;
mount(Report, { target });
