import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useIsSending } from '../shared/api/use-is-sending.ts'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { findFirstControl } from '../shared/forms/find-first-control.ts'
import { useFocusAfterClose } from '../shared/forms/use-focus-after-close.ts'
import { useOpenSetting } from './use-open-setting.ts'

type SettingRowProps = {
  /** The fragment of the address that opens the row. */
  id: string
  title: string
  summary: ReactNode
  /** The text of the button that opens the row, and its continuation for screen readers. */
  label: string
  about?: string
  /** The content of the open row. It closes the row with a notice that tells what was done. */
  children: (close: (notice: ReactNode) => void) => ReactNode
}

/** A setting in one line, which opens in place. */
export function SettingRow({ id, title, summary, label, about, children }: SettingRowProps) {
  const { open, openSetting, closeSetting } = useOpenSetting()
  const [notice, setNotice] = useState<ReactNode>(null)
  const isSending = useIsSending()
  const isOpen = open === id
  const opener = useFocusAfterClose(isOpen, { preventScroll: true })

  function toggle() {
    if (isOpen && isSending) return
    setNotice(null)
    if (isOpen) closeSetting(id)
    else openSetting(id)
  }

  function close(done: ReactNode) {
    setNotice(done)
    closeSetting(id)
  }

  return (
    <section className="card" id={id} aria-labelledby={`${id}-title`}>
      <div className="setting">
        <div className="row-text">
          <h2 id={`${id}-title`}>{title}</h2>
          <p className="soft">{summary}</p>
        </div>
        <button
          ref={opener}
          type="button"
          className="button button-quiet"
          aria-disabled={isOpen && isSending}
          onClick={toggle}
        >
          {isOpen ? 'Cancel' : label}
          <span className="visually-hidden"> {isOpen ? title : about}</span>
        </button>
      </div>
      <DoneNotice>{notice}</DoneNotice>
      {isOpen && <OpenSetting>{children(close)}</OpenSetting>}
    </section>
  )
}

export function LoadingSetting() {
  return (
    <section className="card">
      <Skeleton lines={2} />
    </section>
  )
}

/** Moves the focus to the first field: a link may open a setting that is far down the page. */
function OpenSetting({ children }: { children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null)

  useEffect(() => {
    content.current?.closest('section')?.scrollIntoView({ block: 'nearest' })
    findFirstControl(content.current)?.focus({ preventScroll: true })
  }, [])

  return (
    <div className="setting-content" ref={content}>
      {children}
    </div>
  )
}
