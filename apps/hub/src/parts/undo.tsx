import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemNotice } from './problem-notice.tsx';
import { needsStepUp, StepUp } from './step-up.tsx';

interface Props {
  /** What was done. */
  text: string;
  /** Takes it back. */
  run: () => Promise<unknown>;
  /** After it was taken back, or the time for it has passed. */
  onEnd: () => void;
}

const shownMs = 10_000;

/** For ten seconds after a change that can be taken back. */
export function Undo({ text, run, onEnd }: Props) {
  const { t } = useTranslation();
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: run, onSuccess: onEnd });
  const isIdle = !isPending && error === null;
  useEffect(() => {
    if (!isIdle) return undefined;
    const timer = setTimeout(onEnd, shownMs);
    return () => clearTimeout(timer);
  }, [isIdle]);
  return (
    <>
      <Alert color="blue" role="status">
        <Group justify="space-between">
          <Text size="sm">{text}</Text>
          <Button variant="default" size="compact-sm" loading={isPending} onClick={() => mutate()}>
            {t('list.undo')}
          </Button>
        </Group>
      </Alert>
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={error} onCancel={reset} />
    </>
  );
}
