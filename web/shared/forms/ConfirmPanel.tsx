import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { RequestFailed } from '../api/request-failed.ts'
import { useIsSending } from '../api/use-is-sending.ts'
import { failureSentence, type Sentences } from '../format/failure-sentence.ts'
import { showProblem } from '../routing/page-state.ts'
import { Form } from './Form.tsx'
import { findFirstControl } from './find-first-control.ts'
import { isComposing } from './is-composing.ts'
import { TextField } from './TextField.tsx'

export type ConfirmPanelProps<Data> = {
  /** The object of the action, for screen readers, unless the label of the button names it. */
  about?: string
  /** Names everything that the action deletes or changes, and says whether it can be undone. */
  question: ReactNode
  /** What the action concerns, in a list below the question. */
  names?: string[]
  confirmLabel: string
  pendingLabel: string
  /** The name that the user must type before an action that can't be undone. */
  typedName?: string
  /** More fields of the question, whose values the action reads. */
  fields?: ReactNode
  /** `main` for an action that destroys nothing. */
  kind?: 'main' | 'danger'
  action: (value: (name: string) => string) => Promise<Data>
  sentences?: Sentences
  /** Called after the question has closed and its button has the focus, so that it may move the focus. */
  onDone?: (data: Data) => void
}

/** The question before something is destroyed. It takes the focus. */
export function ConfirmPanel<Data>(props: ConfirmPanelProps<Data> & { onClose: () => void }) {
  const { about, question, names, confirmLabel, pendingLabel, typedName, fields, action, onDone, onClose } = props
  const { kind = 'danger', sentences } = props
  const isSending = useIsSending()
  const id = useId()
  const panel = useRef<HTMLFieldSetElement>(null)

  useLayoutEffect(() => findFirstControl(panel.current)?.focus(), [])

  // After a lost response the page loads again, and the question leaves with its row if the change was made.
  const lostOutcome = useRef<{ address: string; problem: string }>(null)
  useEffect(
    () => () => {
      if (lostOutcome.current?.address === location.href) showProblem(lostOutcome.current.problem)
    },
    [],
  )

  async function act(value: (name: string) => string): Promise<Data> {
    lostOutcome.current = null
    try {
      return await action(value)
    } catch (error) {
      const failure = RequestFailed.from(error)
      if (failure.code === 'NO_RESPONSE')
        lostOutcome.current = {
          address: location.href,
          problem: `${confirmLabel}: ${failureSentence(failure, sentences)}`,
        }
      throw error
    }
  }

  function close() {
    lostOutcome.current = null
    onClose()
  }

  function done(data: Data) {
    close()
    onDone?.(data)
  }

  return (
    <fieldset
      ref={panel}
      className={`confirm confirm-${kind}`}
      aria-describedby={`${id}-question`}
      onKeyDown={({ key, nativeEvent }) => key === 'Escape' && !isComposing(nativeEvent) && !isSending && close()}
    >
      <legend className="visually-hidden">{about === undefined ? confirmLabel : `${confirmLabel}: ${about}`}</legend>
      <p id={`${id}-question`}>{question}</p>
      {names && <Names about={about} names={names} />}
      <Form
        send={act}
        onDone={done}
        kind={kind}
        submitLabel={confirmLabel}
        pendingLabel={pendingLabel}
        sentences={sentences}
        onCancel={close}
      >
        {fields}
        {typedName !== undefined && (
          <TextField
            name="typedName"
            label={`Type ${typedName} to go on`}
            content="code"
            autoComplete="off"
            check={(value) => (asShown(value) === asShown(typedName) ? null : `Type ${typedName}, exactly so.`)}
          />
        )}
      </Form>
    </fieldset>
  )
}

/**
 * Text as a page shows it: without invisible characters, with single spaces, and with accents that are part of their
 * letter. A user can type no other text.
 */
function asShown(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function Names({ about, names }: { about: string | undefined; names: string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and the keyboard must reach it
    <ul className="confirm-names" aria-label={about} tabIndex={0}>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}
