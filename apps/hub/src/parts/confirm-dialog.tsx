import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { needsStepUp, StepUp } from './step-up.tsx';

interface Props {
  opened: boolean;
  title: string;
  /** What it does, and whether it can be undone. */
  text: string;
  /** What must be typed before a change that cannot be undone. */
  typed?: { label: string; text: string };
  confirm: string;
  /** It cannot be undone, or ends rights. */
  isFinal?: boolean;
  /** The request that the confirmation sends. */
  mutation: { isPending: boolean; error: unknown; reset: () => void };
  onConfirm: () => void;
  onClose: () => void;
}

/** A question before a change that has consequences. */
export function ConfirmDialog({
  opened,
  title,
  text,
  typed,
  confirm,
  isFinal = true,
  mutation,
  onConfirm,
  onClose,
}: Props) {
  const { t } = useTranslation();
  const [input, setInput] = useState('');
  const { isPending, error, reset } = mutation;
  const close = () => {
    setInput('');
    reset();
    onClose();
  };
  const isConfirmed = typed === undefined || input.trim() === typed.text;
  if (needsStepUp(error)) return <StepUp error={error} onCancel={close} />;
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack>
        <Text size="sm">{text}</Text>
        {typed && (
          <TextInput
            label={typed.label}
            placeholder={typed.text}
            value={input}
            onChange={(event) => setInput(event.currentTarget.value)}
            data-autofocus
          />
        )}
        {error !== null && error !== undefined && <ProblemNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('app.cancel')}
          </Button>
          <Button {...(isFinal && { color: 'red' })} loading={isPending} disabled={!isConfirmed} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
