import { createTheme } from '@mantine/core';

/** Sizes and colours of the hub. Contrasts of text are at least 4.5 : 1 in both themes (WCAG 2.2). */
export const theme = createTheme({
  fontFamily: "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif",
  primaryShade: { light: 8, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    // react-remove-scroll would add a style element, which the content security policy does not allow.
    Modal: { defaultProps: { lockScroll: false } },
  },
});
