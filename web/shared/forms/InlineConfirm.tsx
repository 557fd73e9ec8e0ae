import { useState } from 'react'
import { DoneNotice } from '../components/DoneNotice.tsx'
import { ConfirmPanel, type ConfirmPanelProps } from './ConfirmPanel.tsx'
import { useFocusAfterClose } from './use-focus-after-close.ts'

type InlineConfirmProps<Data> = ConfirmPanelProps<Data> & {
  /** The text of the button, which only asks. */
  label: string
  /** The notice of a success that changes nothing else on the page. It stays until the question opens again. */
  doneNotice?: string
}

/** A button that asks in place before it destroys something. A refusal stays visible beside the question. */
export function InlineConfirm<Data>(props: InlineConfirmProps<Data>) {
  const { label, about, doneNotice, onDone } = props
  const [state, setState] = useState<'closed' | 'open' | 'done'>('closed')
  const opener = useFocusAfterClose(state === 'open')

  function done(data: Data) {
    setState('done')
    onDone?.(data)
  }

  return (
    <>
      {state === 'open' ? (
        <ConfirmPanel {...props} onDone={done} onClose={() => setState('closed')} />
      ) : (
        <button ref={opener} type="button" className="button button-quiet" onClick={() => setState('open')}>
          {label}
          {about !== undefined && <span className="visually-hidden"> {about}</span>}
        </button>
      )}
      {doneNotice !== undefined && <DoneNotice>{state === 'done' && doneNotice}</DoneNotice>}
    </>
  )
}
