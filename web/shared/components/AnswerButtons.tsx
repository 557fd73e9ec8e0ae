import { ActionButton } from './ActionButton.tsx'

type Choice = { label: string; pendingLabel: string }

type AnswerButtonsProps = {
  yes: Choice
  no: Choice
  /** The answer that is being sent. */
  pending: boolean | undefined
  onAnswer: (isYes: boolean) => void
}

/** Two buttons that answer a question. */
export function AnswerButtons({ yes, no, pending, onAnswer }: AnswerButtonsProps) {
  return (
    <div className="actions">
      <ActionButton isPending={pending === true} pendingLabel={yes.pendingLabel} onPress={() => onAnswer(true)}>
        {yes.label}
      </ActionButton>
      <ActionButton
        kind="quiet"
        isPending={pending === false}
        pendingLabel={no.pendingLabel}
        onPress={() => onAnswer(false)}
      >
        {no.label}
      </ActionButton>
    </div>
  )
}
