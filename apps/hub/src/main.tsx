import './app/styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
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
createRoot(document.getElementById('hub')!).render(
  <StrictMode>
    <Hub />
  </StrictMode>,
);
