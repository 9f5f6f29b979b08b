import './app/styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/problem.ts';
import { Hub } from './app/hub.tsx';
import { startTexts } from './texts/texts.ts';

// While replicas of two versions run, a screen may be requested from the other one: the page starts again, once.
addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem('holdfast:reloaded') === location.href) return;
  sessionStorage.setItem('holdfast:reloaded', location.href);
  event.preventDefault();
  location.reload();
});

await startTexts();
// What could not be read is shown on the screen, with what to do. Anything else is a fault of the hub.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof Problem)) reportError(error);
};
createRoot(document.getElementById('hub')!, { onCaughtError }).render(
  <StrictMode>
    <Hub />
  </StrictMode>,
);
