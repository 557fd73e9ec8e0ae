import { useLocationProperty } from 'wouter/use-browser-location'
import { mayLeave } from '../shared/routing/may-leave.ts'

/** The setting that is open. It is the fragment of the address, so a link can open it and a reload keeps it. */
export function useOpenSetting() {
  const open = useLocationProperty(() => location.hash.slice(1))
  return { open, setOpen: openSetting }
}

/** Only one setting is open, so opening another setting would close the recovery codes. */
function openSetting(id: string | null): void {
  if (id !== null && !mayLeave()) return
  const fragment = id === null ? '' : `#${id}`
  history.replaceState(history.state, '', location.pathname + location.search + fragment)
}
