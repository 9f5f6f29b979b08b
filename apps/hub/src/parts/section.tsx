import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  text?: string | undefined;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A part of a screen with a title of its own. */
export function Section({ title, text, actions, children }: Props) {
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {text !== undefined && <Text size="sm">{text}</Text>}
      {children}
    </Stack>
  );
}
