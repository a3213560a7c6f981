/** Percentages and times in a readable form. */

/** Rounded down, so that 100 % means complete. */
export function formatPercent(bytes: number, size: number): string {
  return `${size === 0 ? 100 : Math.floor((bytes / size) * 100)} %`;
}

/** `just now`, `5 min ago`, `3 days ago`. */
export function formatAgo(time: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - time.getTime()) / 1000);
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

/** The duration of a transfer: `0.2 s`, `75 s`, `12 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** `2026-11-21 16:20:01 UTC` */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
