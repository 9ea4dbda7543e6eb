# cryptodata completions for PowerShell. Generated from the command tree; do not edit.

Register-ArgumentCompleter -Native -CommandName 'cryptodata' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # A name and its description are separated by a bar.
    $commands = @{
#{commands}
    }
    $flags = @{
#{flags}
    }
    $globals = @(
#{globals}
    )
    # Whether a flag needs a value, may have one, or has none.
    $takes = @{
#{takes}
    }
    $offers = @{
#{values}
    }

    $directory = $env:CRYPTODATA_CONFIG_DIR
    if (-not $directory) {
        if ($env:OS -eq 'Windows_NT' -and $env:APPDATA) { $directory = Join-Path $env:APPDATA 'cryptodata' }
        elseif ($env:XDG_CONFIG_HOME -like '/*') { $directory = Join-Path $env:XDG_CONFIG_HOME 'cryptodata' }
        else { $directory = Join-Path (Join-Path $HOME '.config') 'cryptodata' }
    }

    function Find-Rule($table, [string]$path, [string]$name) {
        foreach ($key in "$path $name", "* $name", "$path #*") {
            if ($key -like '*#`*' -and $name -notlike '#*') { continue }
            if ($table.ContainsKey($key)) { return , $table[$key] }
        }
    }

    function Get-LiveValue([string]$live, [string]$current) {
        switch ($live) {
            'profiles' {
                $found = @()
                $file = Join-Path $directory 'config.toml'
                if (Test-Path -LiteralPath $file) {
                    foreach ($line in Get-Content -LiteralPath $file) {
                        if ($line -match '^\s*\[\s*profiles\s*\.\s*["'']?([A-Za-z0-9][A-Za-z0-9._-]*)') { $found += $Matches[1] }
                    }
                }
                $sessions = Join-Path $directory 'sessions'
                if (Test-Path -LiteralPath $sessions) {
                    $found += Get-ChildItem -LiteralPath $sessions -Filter '*.session' | ForEach-Object { $_.BaseName }
                }
                $found | Select-Object -Unique
            }
            'zones' {
                [System.TimeZoneInfo]::GetSystemTimeZones() | ForEach-Object { $_.Id } | Where-Object { $_ -like '*/*' }
                'UTC'
            }
            'years' {
                $this = (Get-Date).Year
                if ($current -match '^\d{4}') { $this = [int]$Matches[0] }
                foreach ($year in $this, ($this - 1)) {
                    "$year"
                    foreach ($part in 'H1', 'H2', 'Q1', 'Q2', 'Q3', 'Q4') { "$year-$part" }
                    if ($current -like "$year-*") { 1..12 | ForEach-Object { '{0}-{1:d2}' -f $year, $_ } }
                }
            }
        }
    }

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($wordToComplete -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
            ForEach-Object { $_.Extent.Text })
    $at = ''
    $operand = 0
    $pending = ''
    $how = ''
    $only = $false
    foreach ($word in $words) {
        if ($how -eq 'value' -or ($how -eq 'maybe' -and $word -notlike '-*')) {
            $how = ''
            $pending = ''
            continue
        }
        $how = ''
        $pending = ''
        if ($only -or $word -notlike '-*' -or $word -eq '-') {
            $names = @($commands[$at] | ForEach-Object { ($_ -split '\|', 2)[0] })
            if (-not $only -and $operand -eq 0 -and $names -ccontains $word) { $at = "$at $word".Trim() }
            else { $operand += 1 }
        }
        elseif ($word -eq '--') { $only = $true }
        elseif ($word -notlike '*=*') {
            $pending = $word
            $how = Find-Rule $takes $at $word
        }
    }

    $current = $wordToComplete
    $prefix = ''
    $offer = $null
    $values = @()
    if (-not $only -and $how -ne 'value' -and $current -like '--*=*') {
        $pending, $current = $current -split '=', 2
        $prefix = "$pending="
        $offer = Find-Rule $offers $at $pending
    }
    elseif ($how -eq 'value' -or ($how -eq 'maybe' -and $current -notlike '-*')) {
        $offer = Find-Rule $offers $at $pending
    }
    elseif (-not $only -and $current -like '-*') {
        $values = @($flags[$at]) + $globals
    }
    else {
        $offer = Find-Rule $offers $at "#$($operand + 1)"
        if ($operand -eq 0) { $values = @($commands[$at]) }
        # Show the flags where nothing else can be typed.
        if (-not $offer -and -not $values -and $current -eq '' -and -not $only) { $values = @($flags[$at]) + $globals }
    }
    if ($offer) {
        $values += $offer.Words
        if ($offer.Separated) {
            if ($current -like '*,*') {
                $cut = $current.LastIndexOf(',') + 1
                $prefix += $current.Substring(0, $cut)
                $current = $current.Substring($cut)
            }
            # --columns +name adds a column.
            if ($current -like '+*') {
                $prefix += '+'
                $current = $current.Substring(1)
            }
        }
        # Without values, PowerShell completes file names itself.
        if ($offer.Live) { $values += @(Get-LiveValue $offer.Live $current) }
    }

    $values | Where-Object { $_ -and $_.StartsWith($current, [System.StringComparison]::Ordinal) } | ForEach-Object {
        $name, $text = $_ -split '\|', 2
        if (-not $text) { $text = $name }
        [System.Management.Automation.CompletionResult]::new("$prefix$name", $name, 'ParameterValue', $text)
    }
}
