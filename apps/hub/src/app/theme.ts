import { createTheme } from '@mantine/core';

/** Sizes and colours are in page.css: without style elements, Mantine takes none from here. */
export const theme = createTheme({
  respectReducedMotion: true,
  components: {
    // react-remove-scroll would add a style element, which the content security policy does not allow.
    Modal: { defaultProps: { lockScroll: false } },
  },
});
