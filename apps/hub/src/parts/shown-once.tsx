import { Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface Props {
  title: string;
  text: string;
  label: string;
  value: string;
  children?: ReactNode;
}

/** A secret or a link, the one time that it is shown. */
export function ShownOnce({ title, text, label, value, children }: Props) {
  return (
    <Alert title={title} color="yellow">
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <Group align="flex-end" gap="sm">
          <TextInput label={label} value={value} readOnly flex={1} onFocus={(event) => event.target.select()} />
          <CopyButton text={value} />
        </Group>
        {children}
      </Stack>
    </Alert>
  );
}
