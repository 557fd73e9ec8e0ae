/** Epoch milliseconds → ISO 8601 in UTC, as all times are on the wire. */
export function toIso(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString()
}

export function toIsoOrNull(epochMilliseconds: number | null): string | null {
  return epochMilliseconds === null ? null : toIso(epochMilliseconds)
}
