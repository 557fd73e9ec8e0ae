import { useLocationProperty } from 'wouter/use-browser-location'
import { mayLeave } from '../shared/routing/may-leave.ts'

/** The setting that is open. It is the fragment of the address, so a link can open it and a reload keeps it. */
export function useOpenSetting() {
  const open = useLocationProperty(openSettingId)
  return { open, openSetting, closeSetting }
}

/** Only one setting is open, so opening another setting would close the recovery codes. */
function openSetting(id: string): void {
  if (mayLeave()) setFragment(`#${id}`)
}

/** Closes a setting, unless the user has opened another one during its request. */
function closeSetting(id: string): void {
  if (openSettingId() === id) setFragment('')
}

function openSettingId(): string {
  return location.hash.slice(1)
}

function setFragment(fragment: string): void {
  history.replaceState(history.state, '', location.pathname + location.search + fragment)
}
