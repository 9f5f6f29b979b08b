import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** A link to a screen: its address and filters are checked by their types. */
export const ScreenLink = createLink(Anchor<'a'>);
